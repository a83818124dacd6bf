/** What a refusal of hostile input has to look like, and backups made by hand. */
import { expect } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { lookAgain, SLOWNESS } from '../../fixtures/slowness.ts'
import { type Answer, ask, base64, bytesOf } from '../../property/support.ts'

/**
 * What is refused must be refused before anybody notices. Time of the processor, in the best of three, each by how slow the machine is beside
 * it: machines are shared.
 */
const AT_ONCE_MS = 500
const TRIES = 3

/** A 400 with one message, at once, and no key is made. */
export async function refused(kernel: Kernel, call: () => Promise<Answer>, words?: RegExp): Promise<string> {
  const before = (await kernel.transit.listKeys()).keys
  let message = ''
  let took = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < TRIES && took >= AT_ONCE_MS; tries++) {
    if (tries > 0) lookAgain()
    const start = process.cpuUsage()
    const { status, errors } = await call()
    const { user, system } = process.cpuUsage(start)
    took = Math.min(took, (user + system) / 1000 / SLOWNESS)
    expect([status, errors.length]).toEqual([400, 1])
    message = errors[0] as string
    if (words) expect(message).toMatch(words)
  }
  expect(took).toBeLessThan(AT_ONCE_MS)
  expect((await kernel.transit.listKeys()).keys).toEqual(before)
  return message
}

export type Plain = Record<string, unknown>

/** What is different from a backup that restores. `#1234` stands for the number 1234, of any length. */
export interface Spoilt {
  readonly policy?: Plain
  /** The one version there is, in the ring and in the archive. */
  readonly version?: Plain
  /** In place of the versions. */
  readonly keys?: unknown
  readonly archived_keys?: unknown
}

/** JSON text as the originals write it, of an ordinary 256-bit key called planted. */
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
