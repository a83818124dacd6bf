/**
 * All records of a local mount are stored in class `l`, whatever the class of their kind. Two kinds of an engine must therefore not share a
 * folder in different classes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../../../src', import.meta.url))
/** Matches a record kind in the source. Its class is `r` by default. */
const KIND = /\{[^{}]*\bfolder: '([^']+)'[^{}]*\}/g
const CLASS = /\bclass: '([rli])'/

interface Kind {
  readonly folder: string
  readonly keyClass: string
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  )

function kindsIn(folder: string): readonly Kind[] {
  return filesBelow(join(SRC, folder)).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const kinds = [...text.matchAll(KIND)].map(([kind, name = '']) => ({ folder: name, keyClass: CLASS.exec(kind)?.[1] ?? 'r' }))
    expect([file, kinds.length]).toEqual([file, text.split(/\bfolder: '/).length - 1])
    return kinds
  })
}

/** Record kinds that the kernel adds to every engine. */
const SHARED = kindsIn('core/contract').filter(({ folder }) => folder === 'intent')
const ENGINES = readdirSync(join(SRC, 'engines'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

it('the scan of the sources finds known record kinds of transit and kv', () => {
  expect(SHARED).toEqual([{ folder: 'intent', keyClass: 'l' }])
  const transit = kindsIn('engines/transit')
  for (const kind of [
    { folder: 'ring', keyClass: 'r' },
    { folder: 'material', keyClass: 'r' },
    { folder: 'encryptions', keyClass: 'l' },
  ])
    expect(transit).toContainEqual(kind)
  expect(kindsIn('engines/kv').map(({ folder }) => folder)).toEqual(expect.arrayContaining(['secret', 'key', 'page', 'data']))
})

it.each(ENGINES)('the engine %s does not use one folder in two record classes', (engine) => {
  const classes = new Map<string, Set<string>>()
  for (const { folder, keyClass } of [...kindsIn(`engines/${engine}`), ...SHARED])
    classes.set(folder, (classes.get(folder) ?? new Set()).add(keyClass))
  expect([...classes].filter(([, found]) => found.size > 1)).toEqual([])
})
