import { invalid } from '../../core/base/errors.ts'
import { f } from '../../core/field/fields.ts'

export const DEVICE_PATH = f.freeName('The name of the device, such as `file`.').ignoring('slashes')

const MAX_NAME_CHARACTERS = 256

/** The device name: the path without its trailing slash. @throws KernelError 400 */
export function deviceName(path: string): string {
  const name = path.endsWith('/') ? path.slice(0, -1) : path
  if (name === '' || name.length > MAX_NAME_CHARACTERS) throw invalid(`path: must be 1 to ${MAX_NAME_CHARACTERS} characters`)
  return name
}
