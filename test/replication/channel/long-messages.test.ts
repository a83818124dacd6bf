import { describe, expect, it } from 'vitest'
import { MAX_PLAINTEXT_BYTES } from '../../../src/sys/replication/channel/fragments.ts'
import { measured, noise } from '../../unit/crypto/steps.ts'
import { connect, NOW, PAIRS, peerOf, Server } from './ends.ts'

describe.each(PAIRS)('a long message, $name', ({ asking, answering }) => {
  it('is encrypted and decrypted by both peers in one step for each 64 KiB', () => {
    const server = new Server(answering)
    const session = connect(server, peerOf(server), asking)
    const plaintext = noise(MAX_PLAINTEXT_BYTES)
    const sealing = measured(session.seal(plaintext))
    const sealed = sealing.value!
    expect(sealed.message.length).toBeLessThanOrEqual(8_388_608)
    const opening = measured(server.sessions.open(sealed.message, NOW))
    const opened = opening.value as Exclude<typeof opening.value, undefined | string>
    expect(Buffer.compare(opened.plaintext, plaintext)).toBe(0)
    const answering_ = measured(opened.seal(plaintext))
    const reading = measured(sealed.open(answering_.value!))
    expect(Buffer.compare(reading.value!, plaintext)).toBe(0)
    for (const { yields } of [sealing, opening, answering_, reading]) expect(yields).toBe(127)
  })

  it('is encrypted and decrypted in one step if it has at most 65,518 bytes', () => {
    const server = new Server(answering)
    const session = connect(server, peerOf(server), asking)
    const { value, yields } = measured(session.seal(noise(65_518)))
    expect(yields).toBe(0)
    expect(measured(server.sessions.open(value!.message, NOW)).yields).toBe(0)
  })

  it('is refused if it exceeds the maximum length', () => {
    const server = new Server(answering)
    const session = connect(server, peerOf(server), asking)
    const { value } = measured(session.seal(new Uint8Array(10)))
    const longer = new Uint8Array(8_388_609)
    longer.set(value!.message)
    expect(measured(server.sessions.open(longer, NOW))).toEqual({ value: undefined, yields: 0 })
  })
})
