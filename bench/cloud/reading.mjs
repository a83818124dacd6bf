/**
 * Reading the static credential of a user of a cloud.
 */
import { fakeCloudProvider } from 'strongroom/testing'
import { reading as compared } from '../reading.mjs'
import { openKernel, ROOT } from './world.mjs'

export async function reading() {
  const kernel = await openKernel(fakeCloudProvider({ root: ROOT, users: { owner: 0 } }), ROOT)
  await kernel.cloud.writeStaticRole({ name: 's', username: 'owner', rotation_period: 3600 })
  await kernel.kv.writeSecret({ path: 's', data: await kernel.cloud.staticCreds({ name: 's' }) })
  const result = await compared(kernel, 'cloud', 'static-creds of a cloud, cached')
  await kernel.close()
  return result
}
