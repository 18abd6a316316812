"""Whether ratings can be bought: ten thousand agents, colluders among them, with our weights and without."""
