/** `strongroom/context`: the token of the request that is being served, without passing it on. */
export { type KernelContext, kernelContext, type RunOptions } from './kernel-context.ts'
