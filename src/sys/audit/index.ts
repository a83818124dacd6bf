import { disableDevice } from './disable-device.ts'
import { enableDevice } from './enable-device.ts'
import { hash } from './hash.ts'
import { listDevices } from './list-devices.ts'
import { deleteRequestHeader, listRequestHeaders, readRequestHeader, writeRequestHeader } from './request-headers.ts'

export const auditOperations = {
  enableDevice,
  listDevices,
  disableDevice,
  hash,
  writeRequestHeader,
  readRequestHeader,
  deleteRequestHeader,
  listRequestHeaders,
}
