import { KernelError } from '../base/errors.ts'

/** Whether the error means that a stored record is damaged or was written by another program. */
export const isDamage = (error: unknown): boolean => error instanceof KernelError && error.code === 'ERR_INTERNAL'
