// Replaced by the engine's builder.
