/** SECURITY.md says of every value that a member asserts what proves it, how it is bounded, and what a lie does. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../failovers/kinds.ts'
import { genuineAnswers } from './every-field.ts'
import { everyMessage } from './every-message.ts'
import { LiarSet, type Message } from './set.ts'

const SECTION = /^#### What a member asserts about the set$([\s\S]*?)^### /m

/** Writes that a secondary hands over say nothing about the set: the primary decides about them as about any request. */
const REQUESTS = ['forward', 'entity']

const namesIn = (messages: Iterable<Message>): readonly string[] => [...messages].flatMap((message) => Object.keys(message))

async function documented(): Promise<ReadonlySet<string>> {
  const rows = SECTION.exec(await readFile('SECURITY.md', 'utf8'))?.[1] ?? ''
  return new Set([...rows.matchAll(/`([a-z_]+)`/gi)].map(([, name]) => name as string))
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_name, kind) => {
  it('every member of the messages and answers has its row', async () => {
    const set = await LiarSet.make(kind)
    try {
      const asked = [...(await everyMessage(set))].filter(([type]) => !REQUESTS.includes(type))
      const said = namesIn(asked.map(([, message]) => message))
      const answered = namesIn((await genuineAnswers(set)).values())
      const known = await documented()
      expect([...new Set([...said, ...answered])].filter((name) => name !== 'kind' && !known.has(name)).sort()).toEqual([])
    } finally {
      await set.close()
    }
  })
})
