/**
 * Reading the static credential of a user of a database.
 */
import { fakeDatabasePlugin } from 'strongroom/testing'
import { reading as compared } from '../reading.mjs'
import { openKernel } from './world.mjs'

export async function reading() {
  const plugin = fakeDatabasePlugin()
  plugin.addUser('owner', 'first')
  const kernel = await openKernel(plugin, { connection_url: 'fake:', username: 'root', password: 'root-password' })
  await kernel.database.writeStaticRole({ name: 's', db_name: 'db', username: 'owner', rotation_period: 3600 })
  await kernel.kv.writeSecret({ path: 's', data: { username: 'owner', password: 'a-Password-0f-20-chr' } })
  const result = await compared(kernel, 'database', 'static-creds, cached')
  await kernel.close()
  return result
}
