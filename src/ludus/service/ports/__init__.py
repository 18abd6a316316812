"""The ports: store, bus and clock. One contract suite per port runs against all its adapters."""
