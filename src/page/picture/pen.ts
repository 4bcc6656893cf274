type Align = 'left' | 'center' | 'right'

/** Draws on a canvas, or writes the same drawing as SVG. All measures are in pixels, from the top left. */
export interface Pen {
  /** @param isOutline whether only the edge is drawn */
  box(area: Area, colour: string, isOutline?: boolean): void
  line(x0: number, y0: number, x1: number, y1: number, colour: string): void
  /** @param x where the text is aligned @param y the middle of the line */
  text(text: string, x: number, y: number, align: Align, colour: string): void
  /** Draws a path through points. @param isFilled whether the area inside it is filled, instead of its line drawn */
  path(points: readonly (readonly [x: number, y: number])[], colour: string, isFilled?: boolean): void
  /** @param flips whether left and right are exchanged, and whether top and bottom are */
  image(image: HTMLCanvasElement, to: Area, flips: readonly [boolean, boolean]): void
  /** Lets `draw` draw only inside an area. */
  within(area: Area, draw: () => void): void
}

export interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** Whether an area has a point. */
export function isInside({ x, y, width, height }: Area, [px, py]: readonly [x: number, y: number]): boolean {
  return px >= x && px < x + width && py >= y && py < y + height
}

/** The area with half a pixel more at each side, where an outline of it is sharp. */
export function around({ x, y, width, height }: Area): Area {
  return { x: x - 0.5, y: y - 0.5, width: width + 1, height: height + 1 }
}

export function canvasPen(canvas: CanvasRenderingContext2D): Pen {
  canvas.textBaseline = 'middle'
  const pathOf = (points: readonly (readonly [number, number])[]): void => {
    canvas.beginPath()
    for (const [x, y] of points) canvas.lineTo(x, y)
  }
  return {
    box({ x, y, width, height }, colour, isOutline) {
      if (isOutline) {
        canvas.strokeStyle = colour
        canvas.strokeRect(x, y, width, height)
      } else {
        canvas.fillStyle = colour
        canvas.fillRect(x, y, width, height)
      }
    },
    line(x0, y0, x1, y1, colour) {
      canvas.strokeStyle = colour
      pathOf([
        [x0, y0],
        [x1, y1],
      ])
      canvas.stroke()
    },
    text(text, x, y, align, colour) {
      canvas.textAlign = align
      canvas.fillStyle = colour
      canvas.fillText(text, x, y)
    },
    path(points, colour, isFilled) {
      pathOf(points)
      if (isFilled) {
        canvas.fillStyle = colour
        canvas.fill()
      } else {
        canvas.strokeStyle = colour
        canvas.stroke()
      }
    },
    image(image, { x, y, width, height }, [flipX, flipY]) {
      canvas.save()
      canvas.translate(flipX ? x + width : x, flipY ? y + height : y)
      canvas.scale(flipX ? -1 : 1, flipY ? -1 : 1)
      // Enlarged cells stay sharp rectangles. Cells that are smaller than a pixel are mixed.
      canvas.imageSmoothingEnabled = width < image.width
      canvas.drawImage(image, 0, 0, width, height)
      canvas.restore()
    },
    within({ x, y, width, height }, draw) {
      canvas.save()
      canvas.beginPath()
      canvas.rect(x, y, width, height)
      canvas.clip()
      draw()
      canvas.restore()
    },
  }
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

const ANCHORS: Record<Align, string> = { left: 'start', center: 'middle', right: 'end' }

/** Makes a pen that writes SVG. @returns the pen, and a function that gives the text of the SVG file */
export function svgPen(width: number, height: number, background: string): { pen: Pen; text(): string } {
  const parts: string[] = []
  let clips = 0
  const pen: Pen = {
    box: ({ x, y, width: w, height: h }, colour, isOutline) =>
      parts.push(
        `<rect x="${x}" y="${y}" width="${w}" height="${h}" ${isOutline ? `fill="none" stroke="${colour}"` : `fill="${colour}"`}/>`,
      ),
    line: (x0, y0, x1, y1, colour) =>
      parts.push(`<line x1="${x0}" y1="${y0}" x2="${x1}" y2="${y1}" stroke="${colour}"/>`),
    text: (text, x, y, align, colour) =>
      parts.push(
        `<text x="${x}" y="${y}" text-anchor="${ANCHORS[align]}" dominant-baseline="middle" fill="${colour}">${escaped(text)}</text>`,
      ),
    path: (points, colour, isFilled) =>
      parts.push(
        `<polyline points="${points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ')}" ${isFilled ? `fill="${colour}"` : `fill="none" stroke="${colour}"`}/>`,
      ),
    image(image, { x, y, width, height }, [flipX, flipY]) {
      const turn = `translate(${flipX ? x + width : x} ${flipY ? y + height : y}) scale(${flipX ? -1 : 1} ${flipY ? -1 : 1})`
      const style = width < image.width ? '' : ' style="image-rendering:pixelated"'
      parts.push(
        `<image width="${width}" height="${height}" preserveAspectRatio="none" transform="${turn}" href="${image.toDataURL()}"${style}/>`,
      )
    },
    within({ x, y, width, height }, draw) {
      const id = `clip${clips++}`
      parts.push(
        `<clipPath id="${id}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${id})">`,
      )
      draw()
      parts.push('</g>')
    },
  }
  return {
    pen,
    text: () =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="${background}"/>${parts.join('')}</svg>`,
  }
}
