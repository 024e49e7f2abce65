"""What commands do: validate parameters, execute chapters, publish what they make, and say how far they are."""
