/**
 * How long nobody writes when the leader of three members is killed, and how much of that is etcd's own election: from the death until another
 * member says that it leads. The first good write is one that was begun behind the death.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { etcdStorage } from 'strongroom/storage/etcd'
import { missing, startMembers } from '../etcd/members.mjs'
import { microseconds, table, target, timeCell } from '../report.mjs'

const KILLS = 11
const BETWEEN_MS = 5
const BEYOND_MS = 500
const SETTLING_MS = 1500

export const title = 'Death of the leader of an etcd'

const middle = (all) => {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)]
  return { median: at(0.5), low: at(0.25), high: at(0.75), most: at(1) }
}

export async function run() {
  if (missing) return { targets: [], text: `Not measured: ${missing}.` }
  const cluster = await startMembers(3)
  const storage = etcdStorage({ hosts: cluster.hosts })
  let writing = true
  let onGood = () => {}
  const writer = (async () => {
    for (let n = 0; writing; n++) {
      const begun = performance.now()
      const { ok } = await storage.commit([{ op: 'put', key: 'app/a', value: Buffer.from(`${n}`) }], `write ${n}`)
      if (ok) onGood(begun)
      await sleep(BETWEEN_MS)
    }
  })()
  const samples = { election: [], 'first good write': [], 'beyond the election': [] }
  for (let kill = 0; kill < KILLS; kill++) {
    const leader = await cluster.leader()
    await sleep(SETTLING_MS)
    const died = performance.now()
    const written = new Promise((resolve) => {
      onGood = (begun) => begun > died && resolve(performance.now())
    })
    await cluster.kill(leader)
    const elected = cluster.leader().then(() => performance.now())
    const [at, good] = await Promise.all([elected, written])
    samples.election.push((at - died) * 1000)
    samples['first good write'].push((good - died) * 1000)
    samples['beyond the election'].push((good - at) * 1000)
    cluster.start(leader)
  }
  writing = false
  await writer
  await storage.close()
  await cluster.stop()
  const rows = Object.entries(samples).map(([name, all]) => [name, timeCell(middle(all)), microseconds(middle(all).most)])
  const beyond = middle(samples['beyond the election'])
  const targets = [
    target(
      'first good write behind the death of the leader, beyond the election',
      beyond,
      { atMost: BEYOND_MS * 1000 },
      microseconds,
    ),
  ]
  return { targets, text: table(['', `median of ${KILLS} (middle half)`, 'the longest'], rows) }
}
