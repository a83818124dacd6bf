export const REFUSALS = {}
