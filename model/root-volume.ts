/** The root volume of Amazon Linux 2023 images, by default: its device name and its size. */
export const ROOT_VOLUME = { device: '/dev/xvda', sizeGiB: 20 } as const;
