"""What commands, notebooks and other programs call. Nothing here prints, exits or handles signals."""
