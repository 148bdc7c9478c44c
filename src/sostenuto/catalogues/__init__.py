"""What is published about models: windows and prices, from the package's own snapshot or from a file (rank 7, corridor)."""
