/**
 * The cloud engine over the loopback server of the tests, beside the same calls by the same SDK alone: `bare`. And what needs no server:
 * reading a static credential, and what 100,000 static roles cost a kernel that does nothing with them.
 */
import { byNumber } from '../cloud/by-number.mjs'
import { onServer } from '../cloud/on-server.mjs'
import { reading } from '../cloud/reading.mjs'

export const title = 'Credentials of a cloud'

export async function run() {
  const parts = [await onServer(), await reading(), await byNumber()]
  return { targets: parts.flatMap(({ targets }) => targets), text: parts.map(({ text }) => text).join('\n\n') }
}
