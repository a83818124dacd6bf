// Finds words and phrases that are hard to understand (words.mjs) in comments, messages, test titles and documentation.
//   node tools/check-words.mjs              fails if a folder has more matches of a pattern than word-counts.json allows
//   node tools/check-words.mjs --write      records the current counts, after they fell
//   node tools/check-words.mjs --list PATH  prints the matches in files whose path begins with PATH
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areaOf, hitsIn } from './words.mjs'

const root = join(import.meta.dirname, '..')
const recorded = join(import.meta.dirname, 'word-counts.json')
const [mode, below = ''] = process.argv.slice(2)

const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test', 'docs', 'bench', 'examples', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:ts|md)$/.test(path) && !path.startsWith('test/vectors/'))

const counts = {}
for (const path of paths) {
  for (const { line, pattern, text } of hitsIn(path, readFileSync(join(root, path), 'utf8'))) {
    const name = areaOf(path)
    counts[name] ??= {}
    const area = counts[name]
    area[pattern] = (area[pattern] ?? 0) + 1
    if (mode === '--list' && path.startsWith(below)) console.log(`${path}:${line}: ${pattern}: ${text.slice(0, 140)}`)
  }
}
const sorted = (object, inner = (value) => value) =>
  Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, inner(object[key])]),
  )

if (mode === '--write') writeFileSync(recorded, `${JSON.stringify(sorted(counts, sorted), null, 2)}\n`)
else if (mode === undefined) {
  const allowed = JSON.parse(readFileSync(recorded, 'utf8'))
  const risen = Object.entries(counts).flatMap(([area, found]) =>
    Object.entries(found)
      .filter(([pattern, count]) => count > (allowed[area]?.[pattern] ?? 0))
      .map(([pattern, count]) => `${area}: ${pattern}: ${count}, but only ${allowed[area]?.[pattern] ?? 0} are allowed`),
  )
  for (const line of risen) console.error(line)
  if (risen.length > 0)
    console.error(
      'node tools/check-words.mjs --list AREA shows the matches; docs/contributing/language.md says what to write instead.',
    )
  console.log(`check-words: ${paths.length} files read, ${risen.length} counts above those of tools/word-counts.json`)
  process.exitCode = risen.length > 0 || paths.length === 0 ? 1 : 0
}
