/** Whole seconds in Go's format: `1h30m0s`, `5m0s`, `42s`; -1 as `-1s`. */
export function fullGoDuration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  const rest = `${minutes % 60}m${seconds % 60}s`
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)}h${rest}`
}
