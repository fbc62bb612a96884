"""The log pane: files of any size, shown without being loaded."""
