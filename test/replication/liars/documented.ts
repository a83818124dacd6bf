/** SECURITY.md documents for every value that a member asserts how it is proven, how it is limited, and what a false value can do. */
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import type { Message } from './set.ts'

const SECTION = /^#### Values that members assert$([\s\S]*?)^### /m

/** Expects a documented row for each member of each message. */
export async function expectDocumented(messages: readonly Message[]): Promise<void> {
  const rows = SECTION.exec(await readFile('SECURITY.md', 'utf8'))?.[1] ?? ''
  const known = new Set([...rows.matchAll(/`([a-z_]+)`/gi)].map(([, name]) => name))
  const said = new Set(messages.flatMap((message) => Object.keys(message)))
  expect([...said].filter((name) => name !== 'kind' && !known.has(name))).toEqual([])
}
