import { describe, expect, it } from 'vitest'
import { KeyPair } from '../../../src/sys/replication/channel/key-pair.ts'
import { Haystack } from '../../security/haystack.ts'
import { PARTS, pair } from './ends.ts'

describe('a key pair', () => {
  it('can be created from a secret key, which it copies', () => {
    const firstPair = pair()
    const stored = firstPair.copySecretKey()
    const again = new KeyPair(PARTS.crypto, stored)
    stored.fill(0)
    expect(again.publicKey).toEqual(firstPair.publicKey)
    const secondPair = pair()
    expect(again.agree(secondPair.publicKey)).toEqual(secondPair.agree(firstPair.publicKey))
  })

  it('cannot be created from a secret key of another length', () => {
    for (const length of [0, 31, 33]) expect(() => new KeyPair(PARTS.crypto, new Uint8Array(length))).toThrow(TypeError)
  })

  it('shows its public key but not its secret key when it is inspected', () => {
    const keyPair = pair()
    const seen = new Haystack()
    seen.add('the pair', keyPair)
    seen.add('in an object', { keyPair: [keyPair] })
    expect(seen.find([{ name: 'secret key', bytes: keyPair.copySecretKey() }])).toEqual([])
    expect(seen.find([{ name: 'public key', bytes: keyPair.publicKey }])).not.toEqual([])
  })

  it('throws when it is used after it was wiped', () => {
    const keyPair = pair()
    keyPair.wipe()
    keyPair.wipe()
    expect(() => keyPair.agree(pair().publicKey)).toThrow(TypeError)
    expect(() => keyPair.copySecretKey()).toThrow(TypeError)
  })
})
