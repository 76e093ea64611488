//! The workspace: who may use it, what survives, and what damages it.

mod backup;
mod check;
mod disk_quota;
mod durability;
mod folder;
mod hostile_folder;
mod processes;
