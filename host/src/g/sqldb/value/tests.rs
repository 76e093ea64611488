//! Values as the server sends them, and what becomes of them.
