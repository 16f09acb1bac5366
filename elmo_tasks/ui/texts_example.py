"""Two short texts to begin with, written for this project: a notebook and a diary, which share the word "cell"."""

NAMES = ("a biologist’s notebook", "a prisoner’s diary")
WORD = "cell"
FIRST = """\
Under the microscope every cell of the leaf looked like a small green room.
The cell divides in two, and each half grows a wall of its own.
Viruses enter the cell through its outer membrane.
We stained one cell with iodine so that its nucleus stood out.
A red blood cell carries oxygen and has no nucleus at all.
The sugar passes slowly from one cell to the next.
In a young root the cell is still thin and full of water.
By the evening a cell in the third dish had died.
"""
SECOND = """\
They locked me in a cell without a window.
The guard opened the cell at six and pushed in a bowl of soup.
My cell measures four steps by three.
Somebody before me had scratched a calendar into the wall of the cell.
In the next cell an old man sang at night.
After the trial they moved me to a cell with two other men.
The door of the cell closes with a sound that I hear in my dreams.
From the cell I could smell the rain in the yard.
"""
