import { describe, expect, it } from 'vitest'
import type { Ring } from '../../../src/engines/transit/ring.ts'
import { consumingVersion, exportedVersions, producingVersion, requireUsable } from '../../../src/engines/transit/versions.ts'

/** Versions 1 to 5. Versions 1 and 2 cannot be used at all, and version 3 not for encryption. */
const RING = {
  latest_version: 5,
  min_decryption_version: 3,
  min_encryption_version: 4,
  soft_deleted: false,
  versions: { 1: {}, 2: {}, 3: {}, 4: {}, 5: {} },
} as unknown as Ring

describe('the key version for encryption', () => {
  it('is the latest if the request contains 0', () => {
    expect(producingVersion(RING, 0)).toBe(5)
  })

  it.each([4, 5])('may be %i', (version) => {
    expect(producingVersion(RING, version)).toBe(version)
  })

  it.each([
    [3, 'key_version: 3 is below min_encryption_version, which is 4'],
    [6, 'key_version: 6 is above the latest version, which is 5'],
    [-1, 'key_version: must not be negative'],
  ])('must not be %i', (version, message) => {
    expect(() => producingVersion(RING, version)).toThrow(message)
  })
})

describe('the key version in a ciphertext', () => {
  it.each([3, 4, 5])('may be %i', (version) => {
    expect(consumingVersion(RING, version, 'ciphertext')).toBe(version)
  })

  it.each([
    [1, 'ciphertext: version is disallowed by min_decryption_version (too old)'],
    [2, 'ciphertext: version is disallowed by min_decryption_version (too old)'],
    [6, 'ciphertext: version is too new'],
  ])('must not be %i', (version, message) => {
    expect(() => consumingVersion(RING, version, 'ciphertext')).toThrow(message)
  })

  it('must not have been deleted', () => {
    const { 4: _, ...versions } = RING.versions
    expect(() => consumingVersion({ ...RING, versions }, 4, 'ciphertext')).toThrow('no such key version')
  })
})

describe('key versions below min_decryption_version', () => {
  it('cannot be used', () => {
    expect(() => requireUsable(RING, 2)).toThrow('no such key version')
    expect(requireUsable(RING, 3)).toBe(3)
  })

  it('are not exported', () => {
    expect(exportedVersions(RING, undefined)).toEqual([3, 4, 5])
    expect(exportedVersions(RING, 'latest')).toEqual([5])
    expect(exportedVersions(RING, 'v3')).toEqual([3])
    expect(() => exportedVersions(RING, '2')).toThrow('no such key version')
  })
})

it('a soft-deleted key cannot be used for encryption', () => {
  expect(() => producingVersion({ ...RING, soft_deleted: true }, 0)).toThrow('restore it before using it')
})
