/** LMDB stores in format 2, and their expected content. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Op, Storage } from '../../../src/core/storage/port.ts'

const fixture = JSON.parse(readFileSync(new URL('../../fixtures/lmdb-format-2.json', import.meta.url), 'utf8')) as {
  data: string
}

/** Creates a directory for the stores of one test file. */
export function storeFolder(): { freshPath(): string; storeOfFormat2(): string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-'))
  let paths = 0
  const freshPath = (): string => join(directory, `store-${++paths}`)
  return {
    freshPath,
    storeOfFormat2() {
      const path = freshPath()
      mkdirSync(path)
      writeFileSync(join(path, 'data.mdb'), gunzipSync(Buffer.from(fixture.data, 'base64')))
      return path
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export const put = (key: string, expect?: number): Op => ({
  op: 'put',
  key,
  value: new Uint8Array([1]),
  ...(expect !== undefined && { expect }),
})

/** Expects all commits that the previous release acknowledged, and the first verdict when a commit is repeated. */
export async function checkHoldings(storage: Storage): Promise<void> {
  const entries = await storage.scan('r/')
  expect(entries.length).toBe(40)
  for (const { key, value, version } of entries)
    expect([key, Buffer.from(value).toString()]).toEqual([`r/${version}`, `value ${version}`])
  expect((await storage.list('together/')).length).toBe(8)
  for (let i = 1; i <= 40; i++)
    expect(await storage.commit([put(`r/${i}`, 0)], `commit ${i}`)).toEqual({ ok: true, revision: i, appended: [] })
  expect(await storage.commit([], 'appended\nwith a line')).toEqual({ ok: true, revision: 49, appended: [1] })
  expect(await storage.commit([], 'conflict')).toEqual({ ok: false, conflict: 'r/1', version: 1 })
}
