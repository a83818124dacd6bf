import { describe, expect, it } from 'vitest'
import { areaOf, hitsIn } from '../../../tools/words.mjs'

const patterns = (path: string, text: string): string[] => hitsIn(path, text).map(({ pattern }) => pattern.split(' (')[0] ?? '')
const CLAUSE = 'a clause as subject'

describe('hitsIn', () => {
  it.each([
    ['/** What the store has. */', [CLAUSE]],
    ['/** The record. What follows is data. */', [CLAUSE]],
    ['// What does the store have?', []],
    ['const a = 1 // Whoever reads this', [CLAUSE, 'nobody, somebody, whoever']],
    ['/** A template that is none. */', ['is none']],
    ['// The key is read anew.', ['anew']],
    ['// Ciphertexts of the originals.', ['the originals']],
    ['// Of the table.', ['a fragment']],
    ['// It is empty where there is no key.', ['where there is']],
    ['// The record lies under its mount.', ['lies, stands']],
    ['// The watch tells the caches.', ['tells, told, judges, is asked']],
    ['// The commit behind the log.', ['behind as a time']],
    ['const LONGEST_NAME = 3', ['MOST_, LONGEST_, LARGEST_']],
  ])('finds the pattern in the source %s', (text, found) => {
    expect(patterns('src/core/a.ts', text)).toEqual(found)
  })

  it('searches a comment of several lines as one text', () => {
    expect(patterns('src/a.ts', '/**\n * The keys\n * What the store has.\n */')).toEqual([])
    expect(patterns('src/a.ts', '/**\n * The keys.\n * What the store has.\n */')).toEqual([CLAUSE])
  })

  it('searches messages of sources and titles of tests, but no other literals of tests', () => {
    const code = "it('asks nobody here', () => { throw new Error('nobody is there') })"
    expect(hitsIn('src/a.ts', code)).toHaveLength(2)
    expect(hitsIn('test/a.test.ts', code)).toHaveLength(1)
  })

  it('searches pages, but not the code in them', () => {
    expect(patterns('docs/a.md', 'Keys.\n\n```ts\n// What this is\n```\n\n- What is stored\n\n| a | Whoever | \n')).toEqual([
      CLAUSE,
      CLAUSE,
      'nobody, somebody, whoever',
    ])
  })

  it('ignores a text with the marker words-ok', () => {
    expect(patterns('src/a.ts', '// The spec says "nobody". words-ok: a quotation')).toEqual([])
  })

  it('reports the line on which the text begins', () => {
    expect(hitsIn('src/a.ts', 'const a = 1\n\n// What it is.\n').map(({ line }) => line)).toEqual([3])
  })
})

describe('areaOf', () => {
  it('returns the module folder of a file in src, and the folder of a test or page', () => {
    expect(['src/core/due/tick.ts', 'src/kernel.ts', 'test/unit/a/b.test.ts', 'docs/a.md', 'README.md'].map(areaOf)).toEqual([
      'src/core/due',
      'src',
      'test/unit',
      'docs',
      '.',
    ])
  })
})
