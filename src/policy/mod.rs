//! Policies: every threshold and switch that decides what a window holds.
