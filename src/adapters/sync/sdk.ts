/**
 * An SDK that is a peer: imported when it is first used, and by nobody who does not use it.
 */
import { SyncError } from './sync-error.ts'

/** @throws SyncError of kind `internal` when the package is not installed. */
export async function loadSdk<T>(name: string): Promise<T> {
  try {
    // A variable name: the compiler would resolve a literal and look for types that refer to other packages.
    return (await import(name)) as T
  } catch {
    throw new SyncError('internal', 'sdk_not_installed')
  }
}
