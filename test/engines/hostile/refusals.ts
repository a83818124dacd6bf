/** Measurements of how long refusals take are in large.measured.slow.test.ts. */
import { expect } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { type Answer, ask, base64, bytesOf } from '../../property/support.ts'

/** Expects a 400 with one message and no new key. */
export async function refused(kernel: Kernel, call: () => Promise<Answer>, words?: RegExp): Promise<string> {
  const before = (await kernel.transit.listKeys()).keys
  const { status, errors } = await call()
  expect([status, errors.length]).toEqual([400, 1])
  const message = errors[0] as string
  if (words) expect(message).toMatch(words)
  expect((await kernel.transit.listKeys()).keys).toEqual(before)
  return message
}

export type Plain = Record<string, unknown>

/** Changes to a valid backup. `#1234` is replaced by the JSON number 1234, of any length. */
export interface Spoilt {
  readonly policy?: Plain
  /** Changes to the only version, in the ring and in the archive. */
  readonly version?: Plain
  /** Replaces all versions. */
  readonly keys?: unknown
  readonly archived_keys?: unknown
}

/** The JSON text of a backup in Vault's format, with an ordinary 256-bit key called `planted`. */
export function backupText({ policy, version, keys, archived_keys }: Spoilt = {}): string {
  const times = { time: '2026-01-02T03:04:05Z', creation_time: 1767323045 }
  const entry = { key: base64(bytesOf(32, 1)), hmac_key: base64(bytesOf(32, 2)), ...times, ...version }
  const ring = {
    name: 'planted',
    type: 0,
    keys: keys ?? { 1: entry },
    latest_version: 1,
    min_decryption_version: 1,
    exportable: true,
  }
  const archive = archived_keys ?? { keys: keys === undefined ? [{ key: null }, entry] : [] }
  return JSON.stringify({ policy: { ...ring, ...policy }, archived_keys: archive }).replaceAll(/"#(-?\d+)"/g, '$1')
}

export const encoded = (text: string): string => base64(Buffer.from(text))

export const restoreText = (kernel: Kernel, text: string, more: object = {}): Promise<Answer> =>
  ask(kernel, 'POST', 'restore', { backup: encoded(text), ...more })

export async function remove(kernel: Kernel, name: string): Promise<void> {
  await kernel.transit.configureKey({ name, deletion_allowed: true })
  await kernel.transit.deleteKey({ name })
}
