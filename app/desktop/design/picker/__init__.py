"""Binding a value by picking: nobody types an expression."""
