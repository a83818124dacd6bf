// Finds import cycles: one shortest cycle for each group of files that can all reach each other.

/** @param edges the imported files of each file */
export function circlesOf(edges) {
  const circles = []
  const seen = new Set()
  for (const start of edges.keys()) {
    if (seen.has(start)) continue
    const circle = shortestThrough(start, edges)
    if (!circle) continue
    for (const file of circle) seen.add(file)
    circles.push(circle)
  }
  return circles
}

/** A breadth-first search from a file back to itself. */
function shortestThrough(start, edges) {
  const from = new Map()
  const queue = [start]
  for (const file of queue) {
    for (const next of edges.get(file) ?? []) {
      if (next === start) {
        const circle = [start]
        for (let at = file; at !== start; at = from.get(at)) circle.splice(1, 0, at)
        return [...circle, start]
      }
      if (from.has(next)) continue
      from.set(next, file)
      queue.push(next)
    }
  }
  return undefined
}
