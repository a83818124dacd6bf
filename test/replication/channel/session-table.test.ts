import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { sealFragments } from '../../../src/sys/replication/channel/fragments.ts'
import { requestHead, withHead } from '../../../src/sys/replication/channel/message.ts'
import { CipherState } from '../../../src/sys/replication/channel/noise/cipher-state.ts'
import { ServerSession } from '../../../src/sys/replication/channel/server-session.ts'
import { SessionKeys } from '../../../src/sys/replication/channel/session-keys.ts'
import { SessionTable } from '../../../src/sys/replication/channel/session-table.ts'
import { TransportCipher } from '../../../src/sys/replication/channel/transport-cipher.ts'
import { bytesOf, NOW, PARTS } from './ends.ts'

/** A table with sessions as handshakes create them. Real handshakes would take too long. */
class Filled {
  readonly table = new SessionTable()
  #made = 0

  add(peerId: string, confirmed = true): Uint8Array {
    const state = (byte: number) => new CipherState(PARTS.crypto, new Uint8Array(32).fill(byte))
    const sessionId = bytesOf(`session ${this.#made++}`).subarray(-8)
    const message = runToEnd(sealFragments(new TransportCipher(state(1)), 0, requestHead(sessionId, 0), bytesOf('x')))!
    const admitted = {
      peerId,
      publicKey: sessionId,
      sessionId,
      keys: new SessionKeys({ split: () => ({ sending: state(2), receiving: state(1) }) }),
      welcome: withHead('welcome'),
    }
    const session = new ServerSession(admitted, NOW)
    if (confirmed) runToEnd(session.open(message))
    expect(session.confirmed).toBe(confirmed)
    this.table.add(session, bytesOf(`hello ${this.#made}`))
    return sessionId
  }

  has(sessionId: Uint8Array): boolean {
    return this.table.withId(sessionId, NOW) !== undefined
  }
}

describe('the session table of a server', () => {
  it('keeps at most 1,024 sessions, and replaces an unused session first and else the oldest one', () => {
    const sessions = new Filled()
    const [first, second] = [sessions.add('first'), sessions.add('second')]
    const unused = sessions.add('unused', false)
    const others = Array.from({ length: 1_021 }, (_, index) => sessions.add(`peer ${index >> 3}`))
    expect([first, second, unused, ...others].every((id) => sessions.has(id))).toBe(true)
    const one = sessions.add('one')
    expect([unused, first, second, one].map((id) => sessions.has(id))).toEqual([false, true, true, true])
    const two = sessions.add('two')
    expect([first, second, one, two, ...others].map((id) => sessions.has(id))).toEqual([false, ...Array(1_024).fill(true)])
    expect(sessions.table.size).toBe(1_024)
  })

  it('finds a session by the hello message that created it until the session is removed', () => {
    const { table } = new Filled()
    expect(table.madeFor(bytesOf('hello 1'))).toBeUndefined()
    const sessions = new Filled()
    sessions.add('east')
    expect(sessions.table.madeFor(bytesOf('hello 1'))?.admitted.peerId).toBe('east')
    for (let i = 0; i < 8; i++) sessions.add('east')
    expect(sessions.table.madeFor(bytesOf('hello 1'))).toBeUndefined()
    sessions.table.drop('east')
    expect(sessions.table.madeFor(bytesOf('hello 9'))).toBeUndefined()
    expect(sessions.table.size).toBe(0)
  })
})
