/** The stamp marks a prefix as the prefix of a store, and contains the store's format. */
import type { EtcdClient } from './client.ts'
import { isForbidden, UnusablePrefix } from './failures.ts'
import { borderText, endOf, Layout } from './layout.ts'
import type { KeyValue } from './messages.ts'

const FORMAT = 1
const STAMP = 'strongroom'

function validateStamp(prefix: string, { value }: KeyValue): void {
  const [, format] = value.toString('utf8').match(/^strongroom (\d+)$/) ?? []
  if (format === undefined) throw inUse(prefix)
  if (Number(format) > FORMAT)
    throw new UnusablePrefix(`prefix ${prefix}: has format ${format}; this version of strongroom reads formats up to ${FORMAT}`)
}

const inUse = (prefix: string, key?: Buffer): UnusablePrefix =>
  new UnusablePrefix(
    `prefix ${prefix}: is used by something other than a store${key ? `, which has the key ${key.toString('utf8')}` : ''}`,
  )

/**
 * Refuses a prefix that begins with the prefix of another store. The check is skipped if the user has no permission to read keys outside
 * the prefix.
 * @throws UnusablePrefix if this prefix begins with the prefix of another store.
 */
async function refuseInside(client: EtcdClient, prefix: string, most: number): Promise<void> {
  const shorter = Array.from({ length: prefix.length - 1 }, (_, at) => prefix.slice(0, at + 1))
  for (let at = 0; at < shorter.length; at += most) {
    const some = shorter.slice(at, at + most)
    const asked = some.map((one) => ({ range: { key: new Layout(one).stamp } }))
    const answers = await client.txn({ compare: [], success: asked, failure: [] }).then(
      (answer) => answer.answers,
      (error) => {
        if (!isForbidden(error)) throw error
        return []
      },
    )
    for (const [index, answer] of answers.entries()) {
      const [found] = 'range' in answer ? answer.range.found : []
      if (found?.value.toString('utf8').startsWith(`${STAMP} `))
        throw new UnusablePrefix(`prefix ${prefix}: is inside the prefix of another store, ${some[index]}`)
    }
  }
}

/**
 * Checks the stamp, or writes it if the prefix is empty. Several processes may do so at the same time.
 * @throws UnusablePrefix if something else uses the prefix, or if a newer version of strongroom wrote the stamp.
 */
export async function openPrefix(client: EtcdClient, layout: Layout, most: number): Promise<void> {
  const { prefix, stamp, border } = layout
  const [found] = (await client.range({ key: stamp })).found
  if (found) return validateStamp(prefix, found)
  await refuseInside(client, prefix, most)
  const all = Buffer.from(prefix, 'utf8')
  const others = await client.range({ key: all, end: endOf(all), limit: 1, keysOnly: true })
  const [other] = others.found
  // Read the stamp again: another process may have created the store since the first read.
  if (other && !(await client.range({ key: stamp })).found.length) throw inUse(prefix, other.key)
  const { succeeded, answers } = await client.txn({
    compare: [{ key: stamp, modified: 0 }],
    success: [
      { put: stamp, value: Buffer.from(`${STAMP} ${FORMAT}`) },
      { put: border, value: borderText(0) },
    ],
    failure: [{ range: { key: stamp } }],
  })
  const [answer] = answers
  const [made] = !succeeded && answer && 'range' in answer ? answer.range.found : []
  if (made) validateStamp(prefix, made)
}
