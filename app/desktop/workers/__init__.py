"""Workers: how they look, their assistant, the questions before something is done to one."""
