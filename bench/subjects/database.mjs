/**
 * The database engine on the PostgreSQL that DATABASE_URL names (a superuser), beside what it sends there, sent by the driver alone over as
 * many connections: `bare`. Without DATABASE_URL only what needs no server is measured: reading a static credential, and what 100,000
 * static roles cost a kernel that does nothing with them.
 */
import { byNumber } from '../database/by-number.mjs'
import { onServer } from '../database/on-server.mjs'
import { reading } from '../database/reading.mjs'

export const title = 'Users of databases'

export async function run() {
  const parts = [await onServer(process.env.DATABASE_URL), await reading(), await byNumber()]
  return { targets: parts.flatMap(({ targets }) => targets), text: parts.map(({ text }) => text).join('\n\n') }
}
