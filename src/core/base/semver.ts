/**
 * Plugin versions.
 */
import { invalid } from './errors.ts'

/** Three numbers with optional suffixes (semver.org). The second and third number may be omitted. */
const SEMVER = /^v?(\d{1,10})(?:\.(\d{1,10}))?(?:\.(\d{1,10}))?(-[\w.-]{1,64})?(\+[\w.-]{1,64})?$/

/** Normalizes a version to the form `v1.2.3`; an empty string remains empty. @throws KernelError 400 */
export function canonicalVersion(text: string, parameter: string): string {
  if (text === '') return ''
  const found = SEMVER.exec(text)
  if (!found) throw invalid(`${parameter}: must be a semantic version such as 1.2.3`)
  const [, major, minor = '0', patch = '0', pre = '', build = ''] = found
  return `v${Number(major)}.${Number(minor)}.${Number(patch)}${pre}${build}`
}
