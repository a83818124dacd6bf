// Draws a random sample of the texts that people read. Readers who do not know the code then mark the texts that they must read twice.
//   node tools/sample-words.mjs SEED [COMMENTS MESSAGES TITLES PARAGRAPHS]     default: 200 50 50 20
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { comments, messages, paragraphs, titles } from './prose.mjs'

const root = join(import.meta.dirname, '..')
const [seed, ...numbers] = process.argv.slice(2)
if (seed === undefined) throw new Error('usage: node tools/sample-words.mjs SEED [COMMENTS MESSAGES TITLES PARAGRAPHS]')

const files = (...where) =>
  execFileSync('git', ['ls-files', ...where], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(?:ts|md)$/.test(path))
const all = (paths, read) =>
  paths.flatMap((path) =>
    read(readFileSync(join(root, path), 'utf8')).map(({ line, text, path: whole = text }) => ({
      place: `${path}:${line}`,
      text: whole,
      own: text,
    })),
  )

/** The order of a piece of text depends on the seed and on its own content, so other changes do not move it. */
const rank = ({ place, text }) =>
  createHash('sha256')
    .update(`${seed}\0${place.replace(/:\d+$/, '')}\0${text}`)
    .digest('hex')
const draw = (pieces, count) =>
  pieces
    .map((piece) => ({ ...piece, rank: rank(piece) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)

const sources = files('src').filter((path) => path.endsWith('.ts'))
const tests = files('test').filter((path) => path.endsWith('.test.ts'))
const pages = files('docs', '*.md').filter((path) => path.endsWith('.md') && path !== 'docs/reference.md')
const words =
  (least) =>
  ({ own }) =>
    own.split(' ').length >= least
const kinds = [
  ['comments', all(sources, comments).filter(words(4)), 200],
  ['messages', all(sources, messages), 50],
  // The title of a group is read only before the titles of its tests.
  ['test titles', all(tests, (source) => titles(source).filter(({ kind }) => kind === 'title')), 50],
  ['paragraphs', all(pages, paragraphs).filter(words(12)), 20],
]
for (const [index, [kind, pieces, usual]] of kinds.entries()) {
  const drawn = draw(pieces, Number(numbers[index] ?? usual))
  console.log(`\n## ${drawn.length} of ${pieces.length} ${kind}\n`)
  for (const { place, text } of drawn) console.log(`- ${place}\n  ${text}`)
}
