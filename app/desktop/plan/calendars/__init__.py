"""Calendars: days off and working days by month, what uses them, what a change of them does."""
