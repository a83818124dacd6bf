/** The secret keys of a cluster that is a member of a set. They protect the Merkle tree and the messages between clusters. */
import { splitFormat, withFormat } from '../../../core/contract/record-kind.ts'
import { CURVE_25519 } from '../../../core/crypto/curves/curve-code.ts'
import type { Op } from '../../../core/storage/port.ts'
import { KeyPair } from '../channel/key-pair.ts'
import { TreeKeys } from '../tree/tree-keys.ts'
import { secretKey } from './replication-kind.ts'
import type { SetHost } from './set-host.ts'

export class SetKeys {
  readonly tree: TreeKeys
  readonly identity: KeyPair
  /** The key that all clusters of the set share. A joining secondary receives it in its activation bundle. */
  readonly set: Uint8Array

  constructor(host: SetHost, set: Uint8Array, identity: Uint8Array) {
    this.set = set
    this.tree = new TreeKeys(set, host.env.crypto)
    this.identity = new KeyPair(host.env.crypto, identity)
    identity.fill(0)
  }

  /** Returns undefined if the cluster is not a member of a set. */
  static async load(host: SetHost): Promise<SetKeys | undefined> {
    const [set, identity] = await host.store.getMany([secretKey(host.kind, 'set'), secretKey(host.kind, 'identity')])
    if (!set || !identity) return undefined
    await CURVE_25519.load()
    return new SetKeys(host, bytesOf(host, set.value), bytesOf(host, identity.value))
  }

  wipe(): void {
    this.tree.wipe()
    this.set.fill(0)
    this.identity.wipe()
  }
}

/** Returns the key pair to which an activation token can be encrypted; undefined if no key pair was generated. */
export async function loadCandidate(host: SetHost): Promise<KeyPair | undefined> {
  const [found] = await host.store.getMany([secretKey(host.kind, 'candidate')])
  if (!found) return undefined
  await CURVE_25519.load()
  return new KeyPair(host.env.crypto, bytesOf(host, found.value))
}

const bytesOf = ({ kind }: SetHost, stored: Uint8Array): Uint8Array => splitFormat(kind.secret, stored)[1].slice()

/** The caller must wipe the bytes. */
export async function loadSecret(host: SetHost, name: Parameters<typeof secretKey>[1]): Promise<Uint8Array | undefined> {
  const [found] = await host.store.getMany([secretKey(host.kind, name)])
  return found && bytesOf(host, found.value)
}

/** The caller must wipe the bytes. */
export function putSecret({ store, kind }: SetHost, name: Parameters<typeof secretKey>[1], bytes: Uint8Array): Op {
  const stored = withFormat(kind.secret.format, bytes)
  const op = store.encryptedPut(secretKey(kind, name), stored, undefined)
  stored.fill(0)
  return op
}
