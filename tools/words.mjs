// Finds words and phrases that are hard to understand; docs/contributing/language.md explains them. A sentence begins at the start of a text or after
// a full stop.
import { comments, messages, paragraphs, titles } from './prose.mjs'

const sentence = (words) => new RegExp(`(?:^|[.:;!?] )(?:${words})\\b(?![^.;]*\\?)`)

/** Patterns that are never needed. */
export const FORBIDDEN = [
  ['a clause as subject (What ..., Whatever ..., Whoever ...)', sentence('What|Whatever|Whoever|Whichever')],
  ['nobody, somebody, whoever', /\b(?:nobody|somebody|whoever)\b/i],
  ['is none', /\b(?:is|are|was) none\b/i],
  ['anew', /\banew\b/i],
  ['the originals', /\bthe originals\b|\bthe original's\b/i],
]

/** Patterns that are sometimes right. */
export const COUNTED = [
  ['a fragment (Of ..., Behind ..., Those ..., Where ...)', sentence('Of|Behind|Those|Where')],
  ['where there is', /\bwhere there (?:is|are)\b/i],
  ['lies, stands', /\b(?:lies|stands)\b/i],
  ['tells, told, judges, is asked', /\b(?:tells|told|judges?|judged|(?:is|are) asked)\b/i],
  ['behind as a time', /\bbehind (?:it|them|that|the|a|its|what|this)\b/i],
]

/** Bounds are called MAX_ and MIN_. */
const BOUND = /\b(?:MOST|LONGEST|LARGEST)_[A-Z][A-Z_0-9]*\b/

/** A text with this mark and a reason is not checked. */
const MARK = 'words-ok:'

/** The texts of a file that are checked. */
function pieces(path, text) {
  if (path.endsWith('.md')) return paragraphs(text)
  const bounds = text.split('\n').flatMap((row, index) => {
    const match = BOUND.exec(row)
    return match ? [{ line: index + 1, kind: 'bound', text: match[0] }] : []
  })
  return [...comments(text), ...(path.startsWith('test/') ? titles(text) : messages(text)), ...bounds]
}

/** The texts of a file that match a pattern: line, pattern and text. */
export function hitsIn(path, text) {
  return pieces(path, text)
    .filter((piece) => !piece.text.includes(MARK))
    .flatMap(({ line, kind, text: words }) => {
      if (kind === 'bound') return [{ line, pattern: 'MOST_, LONGEST_, LARGEST_', text: words }]
      return [...FORBIDDEN, ...COUNTED]
        .filter(([, regexp]) => regexp.test(words))
        .map(([pattern]) => ({ line, pattern, text: words }))
    })
}

/** The part of the project that a file belongs to. Counts are kept per area. */
export function areaOf(path) {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, folders[0] === 'src' ? 3 : 2).join('/') || '.'
}
