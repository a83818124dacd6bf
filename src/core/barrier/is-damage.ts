import { KernelError } from '../base/errors.ts'

/** Whether what was read is damaged, or was put there by somebody else. */
export const isDamage = (error: unknown): boolean => error instanceof KernelError && error.code === 'ERR_INTERNAL'
