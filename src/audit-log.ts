/** Functions for stored audit logs: verify that a log is complete and unchanged, and find who used a key or a secret. */

import { chainsOf } from './core/audit/anchors.ts'
import type { ChainHead } from './core/audit/chain.ts'
import type { AuditLines } from './core/audit/lines.ts'
import { DEVICE_SECRET, partsOf, SINK_SECRET } from './core/audit/records.ts'
import { storedSecret } from './core/audit/secrets.ts'
import { type AuditVerdict, verifyLines } from './core/audit/verify.ts'
import { type AuditUse, usesIn } from './core/audit/who-used.ts'
import { notFound } from './core/base/errors.ts'
import { readOptions } from './core/base/options.ts'
import { internalsOf } from './core/kernel/kernel-internals.ts'
import type { Kernel } from './kernel.ts'

export interface VerifyAuditOptions {
  /** The name of the sink, as the application or the request that created the sink gave it. */
  readonly sink: string
  /**
   * The sink's log from its beginning, with all its files concatenated: lines, or chunks of text as `createReadStream(path)` yields them.
   */
  readonly lines: AuditLines
  /**
   * Whether the beginning of the log may be missing: the start of a chain, or entire chains, may be in other files. The end of each chain
   * must be present. Default false.
   */
  readonly partial?: boolean
}

/**
 * Verifies, by the MACs of the entries, that a sink's log contains exactly the entries that the kernels of this store wrote to the sink.
 * Finds entries that were removed, changed, moved or duplicated, and truncated chains. Kernels write an anchor every 1,024 entries and at
 * every tick. For kernels that are open in this process or were closed, every truncation is found; for other kernels, only a truncation
 * before the last anchor.
 * @throws KernelError 404 for an unknown sink, 503 if the kernel is sealed.
 */
export async function verifyAudit(kernel: Kernel, options: VerifyAuditOptions): Promise<AuditVerdict> {
  const { sink, lines, partial = false } = readOptions('verifyAudit', options, { sink: 1, lines: 1, partial: 1 })
  const { audit, host, gate } = internalsOf(kernel)
  gate.check()
  await audit.fresh()
  const device = audit.device(sink)
  const owner = device?.owner ?? sink
  const secret = await storedSecret(host, device?.enabled ? DEVICE_SECRET : SINK_SECRET, owner)
  if (!secret) throw notFound(`sink: there is no audit sink ${sink.slice(0, 100)}`)
  const key = host.env.crypto.hmac('sha2-256', partsOf(secret).key)
  secret.fill(0)
  try {
    const heads = new Map<string, ChainHead>((await chainsOf(host, owner)).map(({ id, record }) => [id, record]))
    if (device) heads.set(device.chain.id, device.head)
    return await verifyLines({ key, heads, lines, partial })
  } finally {
    key.wipe()
  }
}

export interface WhoUsedOptions {
  /** The log of any sink: lines, or chunks of text. */
  readonly lines: AuditLines
  /** The mount of the engine, such as `transit/`, including the path of its namespace. */
  readonly mount: string
  /** The name of a key, or the path of a secret. */
  readonly name: string
}

/**
 * Finds the requests in a log that used a key or a secret.
 * @example
 * for await (const use of whoUsed(kernel, { lines, mount: 'transit/', name: 'orders' })) console.log(use)
 */
export function whoUsed(kernel: Kernel, options: WhoUsedOptions): AsyncGenerator<AuditUse, void, void> {
  const { lines, mount, name } = readOptions('whoUsed', options, { lines: 1, mount: 1, name: 1 })
  const { topology } = internalsOf(kernel)
  return usesIn({ lines, mount: mount.endsWith('/') ? mount : `${mount}/`, name, topology })
}
