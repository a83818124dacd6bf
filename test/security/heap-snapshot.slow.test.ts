/** After a kernel is closed, no string in the memory of its process shows a key, in any usual notation. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startChild } from '../fixtures/child.ts'

const NOTATIONS: readonly ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('hex'),
  (bytes) => bytes.toString('hex').toUpperCase(),
  (bytes) => bytes.toString('base64').replace(/=+$/, ''),
  (bytes) => bytes.toString('base64url'),
  (bytes) => bytes.toString('latin1'),
  (bytes) => bytes.join(','),
]

describe('a heap snapshot of a process that has closed its kernel', () => {
  it('shows no key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'strongroom-heap-'))
    const path = join(folder, 'after-close.heapsnapshot')
    const child = startChild('test/security/heap-snapshot.child.ts', { path })
    let sent: { drawn: readonly string[]; kept: string } | undefined
    for await (const message of child.messages) sent = message as { drawn: readonly string[]; kept: string }
    await child.ended
    const { strings } = JSON.parse(readFileSync(path, 'utf8')) as { strings: readonly string[] }
    rmSync(folder, { recursive: true })
    const all = strings.filter(({ length }) => length >= 22).join('\n')
    expect(all).toContain(sent!.kept)
    expect(sent!.drawn.length).toBeGreaterThan(20)
    const found = sent!.drawn.filter((hex) => NOTATIONS.some((notation) => all.includes(notation(Buffer.from(hex, 'hex')))))
    expect(found).toEqual([])
  })
})
