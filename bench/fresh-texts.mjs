/**
 * Texts that were never seen: each is cut from a buffer, as those of requests are, so that nothing about it is known yet.
 */

/** @returns a function that gives the next of `texts`, which are latin1, and begins again behind the last. */
export function freshTexts(texts) {
  const all = Buffer.from(texts.join(''), 'latin1')
  const ends = new Uint32Array(texts.length + 1)
  texts.forEach((text, i) => {
    ends[i + 1] = ends[i] + text.length
  })
  let next = 0
  return () => {
    if (++next === texts.length) next = 0
    return all.latin1Slice(ends[next], ends[next + 1])
  }
}
