// That this program was built is the test; see CMakeLists.txt.
int main() { return 0; }
