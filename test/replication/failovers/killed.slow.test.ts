/**
 * Two clusters, each a process on LMDB, connected by TCP. The primary is killed repeatedly under load, the other cluster takes over, and
 * the killed one follows it. Every missing write was reported as lost and can be exported.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { randomOf } from '../../crash/lane.ts'
import { freeAddress } from '../../fixtures/free-address.ts'
import { runs } from '../../fixtures/runs.ts'
import { TIER } from '../../tiers.ts'
import type { LostText, SiteArguments } from './site.child.ts'
import { Refusal, SiteProcess } from './site-process.ts'

/** The number of failovers. */
const FAILOVERS = { dr: runs({ quick: 3, soak: 100 }), performance: runs({ quick: 2, soak: 100 }) } as const
const SEED = 24
/** The maximum time of load before a kill, in milliseconds. */
const LOAD_MS = 300
/** Writes that are acknowledged while the other cluster is paused. */
const ALONE = 40

/** When a commit of the primary is acknowledged, with the kernel's options. */
interface Acknowledgement {
  readonly name: string
  readonly options: SiteArguments['options']
  /** Whether the other cluster has every acknowledged write. */
  readonly isShared: boolean
}

const LOCAL: Acknowledgement = { name: 'local', options: {}, isShared: false }

const BY_ONE: Acknowledgement = { name: 'by one secondary', options: { ack: { sync: 1, timeoutMs: 600_000 } }, isShared: true }

const ACKNOWLEDGEMENTS: readonly Acknowledgement[] = [LOCAL, BY_ONE]

interface SitePair extends AsyncDisposable {
  readonly sites: readonly [SiteProcess, SiteProcess]
}

/** A primary and a secondary in sync with it. The tests of a suite run concurrently, so each has its own directory and processes. */
async function openPair(kind: SiteArguments['kind'], options: SiteArguments['options'] = {}): Promise<SitePair> {
  const directory = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const began = Date.now()
  const open = async (seal: number): Promise<SiteProcess> =>
    new SiteProcess({ path: join(directory, `site-${seal}`), address: await freeAddress(), kind, seal, began, options })
  const sites = [await open(1), await open(2)] as const
  const close = async (): Promise<void> => {
    for (const site of sites) await site.kill().catch(() => {})
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const [firstProcess, otherProcess] = sites
    await Promise.all([firstProcess.start(), otherProcess.start()])
    await firstProcess.ask({ ask: 'enable' })
    await otherProcess.ask({ ask: 'join', token: await firstProcess.ask({ ask: 'token', id: 'first' }) })
    await streams(otherProcess)
  } catch (error) {
    await close()
    throw error
  }
  return { sites, [Symbol.asyncDispose]: close }
}

const streams = (site: SiteProcess) => site.untilStatus(({ state }) => state === 'stream-wals', 'streaming')

/** Promotes without force if the secondary has every record that it knows of. */
async function takeOver(site: SiteProcess): Promise<{ readonly warnings: readonly string[]; readonly isForced: boolean }> {
  try {
    return { warnings: await site.ask({ ask: 'promote', force: false }), isForced: false }
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 503)) throw error
    return { warnings: await site.insist({ ask: 'promote', force: true }), isForced: true }
  }
}

/** Restarts a killed primary and lets it follow the other cluster. */
async function follow(killed: SiteProcess, now: SiteProcess, id: string): Promise<void> {
  await killed.start()
  await killed.insist({ ask: 'demote' })
  // A token works once, so take another one if the following greeting failed.
  await killed.insist(async (attempt) => ({ ask: 'follow', token: await now.insist({ ask: 'token', id: `${id}-${attempt}` }) }))
  await streams(killed)
}

async function expectLevel(primary: SiteProcess, secondary: SiteProcess): Promise<void> {
  let roots: readonly (string | undefined)[] = ['', 'none']
  for (const deadline = Date.now() + 120_000; Date.now() < deadline && roots[0] !== roots[1]; await sleep(50))
    roots = [(await primary.ask({ ask: 'status' })).merkle_root, (await secondary.ask({ ask: 'status' })).merkle_root]
  expect(roots[1]).toBe(roots[0])
}

const isIn = (lost: readonly LostText[], what: string): boolean =>
  what.startsWith('token ')
    ? lost.some(({ text }) => text.includes(what.slice('token '.length)))
    : lost.some(({ key, text }) => key.endsWith(`/${what}`) && text.includes(`value of ${what}.`))

describe.each(ACKNOWLEDGEMENTS.map((acknowledgement) => [acknowledgement.name, acknowledgement] as const))(
  'a failover under load (acknowledgement: %s)',
  (_, ack) => {
    // If the other cluster acknowledges every write, it loses none, so the case in which it is paused does not apply.
    it.concurrent.each(ack.isShared ? [false] : [false, true])(
      'reports and exports the lost writes (the other cluster was paused before the kill: %s)',
      async (deaf) => {
        await using pair = await openPair('dr', ack.options)
        const [primary, mirror] = pair.sites
        await primary.ask({ ask: 'write', name: 'a' })
        await primary.untilWrote(100)
        if (deaf) {
          mirror.pause()
          await primary.untilWrote(ALONE)
        }
        await primary.kill()
        mirror.resume()
        const { warnings } = await takeOver(mirror)
        const held = new Set(await mirror.insist({ ask: 'held' }))
        const missing = primary.wrote.filter((what) => !held.has(what))
        if (ack.isShared) expect(missing).toEqual([])
        if (deaf) expect(missing.length).toBeGreaterThanOrEqual(ALONE / 2)
        if (missing.length > 0) expect(warnings.join()).toContain('lost')
        const goOn = async (): Promise<void> => {
          await mirror.ask({ ask: 'write', name: 'b' })
          await mirror.untilWrote(50)
        }
        // If writes wait for acknowledgement, no secondary can acknowledge them yet.
        if (!ack.isShared) await goOn()
        await follow(primary, mirror, 'back')
        if (ack.isShared) await goOn()
        await mirror.ask({ ask: 'rest' })
        await expectLevel(mirror, primary)
        const lost = await primary.ask({ ask: 'lost' })
        expect(missing.filter((what) => !isIn(lost, what))).toEqual([])
        const { lost_writes = 0 } = await primary.ask({ ask: 'status' })
        expect(lost_writes).toBeGreaterThanOrEqual(missing.length)
        // No existing record is reported as lost.
        for (const what of held) if (!what.startsWith('token ')) expect([what, isIn(lost, what)]).toEqual([what, false])
        await Promise.all([primary.end(), mirror.end()])
      },
    )
  },
)

describe.concurrent.each(['dr', 'performance'] as const)('%s replication', (kind) => {
  const failovers = FAILOVERS[kind]

  it(`has equal Merkle roots on both clusters after ${failovers} failovers, each after a kill of the primary`, async () => {
    const random = randomOf(SEED)
    await using pair = await openPair(kind)
    let [primary, secondary] = pair.sites
    let forced = 0
    let lost = 0
    /** The acknowledged writes that were not lost. */
    let kept: readonly string[] = []
    for (let n = 0; n < failovers; n++) {
      const before = primary.wrote.length
      await primary.ask({ ask: 'write', name: `n${n}` })
      await primary.untilWrote(5)
      const isDeaf = random() < 0.3
      if (isDeaf) secondary.pause()
      await sleep(random() * LOAD_MS)
      await primary.kill()
      if (isDeaf) secondary.resume()
      const { isForced } = await takeOver(secondary)
      if (isForced) forced++
      const held = new Set(await secondary.insist({ ask: 'held' }))
      expect(kept.filter((what) => !held.has(what))).toEqual([])
      const missing = primary.wrote.slice(before).filter((what) => isShared(kind, what) && !held.has(what))
      const killed = primary
      await follow(killed, secondary, `back-${n}`)
      const { lost_writes = 0 } = await killed.ask({ ask: 'status' })
      expect(lost_writes).toBeGreaterThanOrEqual(missing.length)
      const exported = await killed.ask({ ask: 'lost' })
      expect(missing.filter((what) => !isIn(exported, what))).toEqual([])
      await killed.ask({ ask: 'forget' })
      lost += missing.length
      kept = [...kept, ...killed.wrote.slice(before).filter((what) => isShared(kind, what) && held.has(what))]
      ;[primary, secondary] = [secondary, killed]
    }
    await expectLevel(primary, secondary)
    const held = new Set(await primary.insist({ ask: 'held' }))
    expect(kept.filter((what) => !held.has(what))).toEqual([])
    expect(kept.length).toBeGreaterThan(failovers)
    if (TIER === 'soak')
      console.log(`${kind}: ${failovers} failovers, ${forced} by force; ${lost} writes given up, ${kept.length} kept`)
    await Promise.all([primary.end(), secondary.end()])
  })
})

/** Only DR replicates tokens. */
const isShared = (kind: SiteArguments['kind'], what: string): boolean => kind === 'dr' || !what.startsWith('token ')
