"""What cells and the pages of all chapters show."""
