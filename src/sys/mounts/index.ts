/** Mounts. Room: sys. Imported by the system engine and the composition root. */
export const mountOperations = {}
