/**
 * A process dies at its n-th commit of a rekey or of the creation of a root token, for every n, before and after the commit takes effect.
 * The store opens with either the old or the new shares, and the result of the attempt is complete or absent.
 */
import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage, shamirSeal } from '../../src/index.ts'
import { type CrashingStorage, crashingStorage } from '../../src/testing/index.ts'
import { publicKeys, type SeeingPgp, seeingPgp } from '../fixtures/seeing-pgp.ts'
import { bytesOf } from '../property/support.ts'

type Kind = 'barrier' | 'recovery'
const KEY = bytesOf(32, 4)
const sealOf = (kind: Kind) => (kind === 'barrier' ? shamirSeal() : keySeal(KEY))
const facade = (kernel: Kernel, kind: Kind) => (kind === 'barrier' ? kernel.rekey : kernel.rekey.recovery)

interface Start {
  readonly storage: Storage
  readonly old: readonly string[]
}

async function start(kind: Kind): Promise<Start> {
  const storage = memoryStorage()
  const kernel = await createKernel({ storage, seal: sealOf(kind) })
  const counts = kind === 'barrier' ? { secret_shares: 3, secret_threshold: 2 } : { recovery_shares: 3, recovery_threshold: 2 }
  const { keys, recovery_keys } = await kernel.seal.initialize(counts)
  const old = recovery_keys ?? keys
  if (kind === 'barrier') await unseal(kernel, old.slice(0, 2))
  await kernel.transit.createKey({ name: 'kept' })
  await kernel.close()
  return { storage, old }
}

/** Returns whether the shares unseal the kernel. */
async function unseal(kernel: Kernel, shares: readonly string[]): Promise<boolean> {
  try {
    for (const key of shares) await kernel.seal.unseal({ key })
  } catch {
    return false
  }
  return kernel.seal.state === 'open'
}

async function openOn(storage: Storage, kind: Kind, shares: readonly string[], pgp?: SeeingPgp): Promise<Kernel> {
  const kernel = await createKernel({ storage, seal: sealOf(kind), ...(pgp ? { ports: { pgp } } : {}) })
  if (kind === 'barrier') await unseal(kernel, shares)
  return kernel
}

/** A complete rekey to 4 shares, of which 3 are needed. */
async function rekey(kernel: Kernel, kind: Kind, old: readonly string[], verified: boolean, pgp: SeeingPgp): Promise<void> {
  const { init, update, verify } = methods(kernel, kind)
  const wish = { secret_shares: 4, secret_threshold: 3, pgp_keys: publicKeys(4), backup: true, require_verification: verified }
  const { nonce } = await init(wish)
  await update({ key: old[0] as string, nonce })
  const { verification_nonce } = await update({ key: old[2] as string, nonce })
  if (!verified) return
  for (const key of pgp.seen.slice(0, 3)) await verify({ key, nonce: verification_nonce as string })
}

function methods(kernel: Kernel, kind: Kind) {
  const rekeying = facade(kernel, kind)
  return {
    init: (wish: Parameters<Kernel['rekey']['init']>[0]) => rekeying.init(wish),
    update: (share: { key: string; nonce: string }) => rekeying.update(share),
    verify: (share: { key: string; nonce: string }) => rekeying.verify(share),
  }
}

/** Which of two sets of shares are valid, tested with newly opened kernels. With an automatic seal, the kernel is sealed by hand first. */
async function inForce(storage: Storage, kind: Kind, sets: readonly (readonly string[])[]): Promise<boolean[]> {
  const opened: boolean[] = []
  for (const shares of sets) {
    const kernel = await createKernel({ storage, seal: sealOf(kind) })
    if (kind === 'recovery') await kernel.seal.seal()
    opened.push(await unseal(kernel, shares))
    if (opened.at(-1)) await kernel.transit.encrypt({ name: 'kept', plaintext: bytesOf(3, 3) })
    await kernel.close()
  }
  return opened
}

describe.each(['barrier', 'recovery'] as const)('a process that dies during a rekey of the %s key', (kind) => {
  it.each([
    [false, 'before'],
    [false, 'after'],
    [true, 'before'],
    [true, 'after'],
  ] as const)(
    'leaves exactly one valid set of key shares (verification required: %s, dies %s the commit)',
    async (verified, when) => {
      let commits = 0
      for (let crashAt = 1; ; crashAt++) {
        const { storage, old } = await start(kind)
        const pgp = seeingPgp()
        const dying: CrashingStorage = crashingStorage(storage, { crashAt, when })
        const died = await openOn(dying, kind, old.slice(0, 2), pgp)
          .then((kernel) => rekey(kernel, kind, old, verified, pgp).finally(() => kernel.close().catch(() => {})))
          .then(
            () => false,
            () => true,
          )
        const fresh = pgp.seen.slice(0, 3)
        // If the process died before there were new shares, only the old set exists.
        const sets = fresh.length === 3 ? [old.slice(1, 3), fresh] : [old.slice(1, 3)]
        const opened = await inForce(storage, kind, sets)
        expect([crashAt, opened.filter(Boolean).length]).toEqual([crashAt, 1])

        const kernel = await openOn(storage, kind, opened[0] ? old.slice(1, 3) : fresh)
        const { started, required, verification_nonce } = await facade(kernel, kind).readStatus()
        // A completed rekey has its backup. A rekey that waited for verification ended with its process.
        expect([required, verification_nonce]).toEqual([opened[0] ? 2 : 3, undefined])
        if (!opened[0]) expect(started).toBe(false)
        const backup = facade(kernel, kind).readBackup()
        if (opened[0]) await expect(backup).rejects.toMatchObject({ status: 400 })
        else expect(Object.keys((await backup).keys)).toHaveLength(4)
        await kernel.close()
        if (!died) break
        commits = crashAt
      }
      // The start and the completion; with verification also the commit in between.
      expect(commits).toBe(verified ? 3 : 2)
    },
  )
})

it('a process that dies while it creates a root token leaves either the token and no attempt, or the attempt and no token', async () => {
  for (const when of ['before', 'after'] as const) {
    let died = true
    for (let crashAt = 1; died; crashAt++) {
      const { storage, old } = await start('barrier')
      const pgp = seeingPgp()
      const dying = crashingStorage(storage, { crashAt, when })
      const kernel = await openOn(dying, 'barrier', old, pgp)
      const made = (async () => {
        const { nonce } = await kernel.generateRoot.init({ pgp_key: publicKeys(1)[0] as string })
        for (const key of old.slice(0, 2)) await kernel.generateRoot.update({ key, nonce })
      })()
      died = await made.then(
        () => false,
        () => true,
      )
      await kernel.close().catch(() => {})
      const after = await openOn(storage, 'barrier', old)
      const [token] = pgp.seen
      const works =
        token !== undefined &&
        (await after.tokens.lookupToken({ token }).then(
          () => true,
          () => false,
        ))
      const { started } = await after.generateRoot.readStatus()
      if (token !== undefined) expect([crashAt, when, works]).toEqual([crashAt, when, !started])
      if (!died) expect(works).toBe(true)
      await after.close()
    }
  }
})
